# SPDX-License-Identifier: MIT
# The library for any x86-64: no copies of loops for AVX2 and AVX-512. It must give the same bits as the one that chooses
# by the machine. Only files that such copies concern are compiled again; as objects they stand in front of those of the
# library, which gives the rest. Of one preset alone.
if(NOT CMAKE_C_COMPILER_ID STREQUAL GNU OR NOT PHX_WIDE_OBJECTS OR NOT CMAKE_BUILD_TYPE STREQUAL Release OR PHX_DOUBLE)
    return()
endif()
add_library(phyxel_plain OBJECT ${PHX_LOOP_SOURCES})
set_target_properties(phyxel_plain PROPERTIES PHX_PLAIN ON)
target_include_directories(phyxel_plain PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(phyxel_plain PRIVATE phyxel_settings)
target_compile_definitions(phyxel_plain PRIVATE PHX_BUILDING PHXI_NO_CLONES)
target_compile_options(phyxel_plain PRIVATE -march=x86-64 -mtune=generic)

add_executable(bits_of_${PHX_INSIDE} ${CMAKE_CURRENT_LIST_DIR}/bits.c)
add_executable(bits_of_phyxel_plain ${CMAKE_CURRENT_LIST_DIR}/bits.c $<TARGET_OBJECTS:phyxel_plain>)
foreach(program IN ITEMS bits_of_${PHX_INSIDE} bits_of_phyxel_plain)
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${program} PRIVATE ${PHX_INSIDE} phyxel_settings m)
endforeach()
add_test(NAME plain.same_bits COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/same_bits.sh $<TARGET_FILE:bits_of_${PHX_INSIDE}>
    $<TARGET_FILE:bits_of_phyxel_plain> ${CMAKE_CURRENT_LIST_DIR})
set_tests_properties(plain.same_bits PROPERTIES TIMEOUT 300)
