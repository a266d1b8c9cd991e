# SPDX-License-Identifier: MIT
# The program as a user meets it: every function test_* in cli.sh is one CTest entry with a folder of its own.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/cli.sh cases REGEX "^test_[a-z0-9_]+\\(\\)")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cli.sh)
foreach(case IN LISTS cases)
    string(REGEX REPLACE "^test_([a-z0-9_]+).*" "\\1" case "${case}")
    add_test(NAME cli.${case} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/cli.sh ${case} $<TARGET_FILE:phyxel_cli> ${PROJECT_SOURCE_DIR})
    set_tests_properties(cli.${case} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endforeach()
