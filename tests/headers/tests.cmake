# SPDX-License-Identifier: MIT
# Every public header compiles alone, as C17 and (where a C++ compiler is found) as C++17, in both precisions.
file(GLOB PHX_PUBLIC_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/phyxel/*.h)
find_program(PHX_CXX_COMPILER NAMES c++ g++ clang++ clang++-14)
set(PHX_HEADER_FLAGS -fsyntax-only -Wall -Wextra -pedantic -Werror -I${PROJECT_SOURCE_DIR}/include)
foreach(header IN LISTS PHX_PUBLIC_HEADERS)
    get_filename_component(name ${header} NAME_WE)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name})
    file(CONFIGURE OUTPUT ${source}.c CONTENT "#include <phyxel/${name}.h>\nextern int not_empty;\n")
    file(CONFIGURE OUTPUT ${source}.cpp CONTENT "#include <phyxel/${name}.h>\nextern int not_empty;\n")
    foreach(precision IN ITEMS float double)
        set(define "-DPHX_HEADER_TEST")
        if(precision STREQUAL double)
            set(define "-DPHX_DOUBLE")
        endif()
        add_test(NAME headers.${name}.c17_${precision}
                 COMMAND ${CMAKE_C_COMPILER} -std=c17 ${PHX_HEADER_FLAGS} ${define} ${source}.c)
        if(PHX_CXX_COMPILER)
            add_test(NAME headers.${name}.cxx17_${precision}
                     COMMAND ${PHX_CXX_COMPILER} -std=c++17 ${PHX_HEADER_FLAGS} ${define} ${source}.cpp)
        endif()
    endforeach()
endforeach()
