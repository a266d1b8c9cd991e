# SPDX-License-Identifier: MIT
# Every method and every pair of methods through the same scenes: one CTest entry for each case.
# The list of what is known to be red holds to the digit, so it is of one compiler; sanitizers would take a quarter of an hour.
if(NOT CMAKE_C_COMPILER_ID STREQUAL GNU OR PHX_SANITIZE)
    return()
endif()
file(GLOB PHX_CONFORMANCE CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_executable(test_conformance ${PHX_CONFORMANCE})
target_link_libraries(test_conformance PRIVATE phyxel_test_support)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/test_conformance.c cases REGEX "^TEST\\([a-z0-9_]+\\)")
foreach(case IN LISTS cases)
    string(REGEX REPLACE "^TEST\\(([a-z0-9_]+)\\).*" "\\1" case "${case}")
    add_test(NAME conformance.${case} COMMAND test_conformance ${case})
    set_tests_properties(conformance.${case} PROPERTIES TIMEOUT 300 COST 100) # begun first: a long test alone at the end leaves cores idle
endforeach()
