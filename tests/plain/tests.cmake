# SPDX-License-Identifier: MIT
# The library once more, for any x86-64: no copies of loops for AVX2 and AVX-512. It must give the same bits as the one
# that chooses by the machine. 80 s of one core for its build, so of one preset alone.
if(NOT CMAKE_C_COMPILER_ID STREQUAL GNU OR NOT PHX_WIDE_OBJECTS OR NOT CMAKE_BUILD_TYPE STREQUAL Release OR PHX_DOUBLE)
    return()
endif()
add_library(phyxel_plain STATIC ${PHX_SOURCES})
set_target_properties(phyxel_plain PROPERTIES PHX_PLAIN ON)
target_include_directories(phyxel_plain PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(phyxel_plain PUBLIC phyxel_settings PkgConfig::YAML PkgConfig::ZSTD PNG::PNG
                                   $<$<BOOL:${embree_FOUND}>:embree> ${PHX_WEBP} Threads::Threads m)
target_compile_definitions(phyxel_plain PRIVATE PHX_BUILDING PHXI_NO_CLONES)
target_compile_options(phyxel_plain PRIVATE -march=x86-64 -mtune=generic)

foreach(library IN ITEMS ${PHX_INSIDE} phyxel_plain)
    add_executable(bits_of_${library} ${CMAKE_CURRENT_LIST_DIR}/bits.c)
    target_include_directories(bits_of_${library} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(bits_of_${library} PRIVATE ${library} phyxel_settings m)
endforeach()
add_test(NAME plain.same_bits COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/same_bits.sh $<TARGET_FILE:bits_of_${PHX_INSIDE}>
    $<TARGET_FILE:bits_of_phyxel_plain> ${CMAKE_CURRENT_LIST_DIR})
set_tests_properties(plain.same_bits PROPERTIES TIMEOUT 300)
