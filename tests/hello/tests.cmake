# SPDX-License-Identifier: MIT
# The program in docs/guide/hello.md is taken out of the page, built with warnings as errors, and must see the cube bounce.
set(hello_page ${PROJECT_SOURCE_DIR}/docs/guide/hello.md)
set(hello_source ${PROJECT_BINARY_DIR}/hello/hello.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${hello_page})
file(READ ${hello_page} hello_text)
if(NOT hello_text MATCHES "```c\n([^`]*)```")
    message(FATAL_ERROR "docs/guide/hello.md has no C program")
endif()
file(CONFIGURE OUTPUT ${hello_source} CONTENT "${CMAKE_MATCH_1}" @ONLY)
add_executable(test_hello ${hello_source})
target_link_libraries(test_hello PRIVATE phyxel phyxel_settings m)
add_test(NAME docs.hello COMMAND test_hello)
set_tests_properties(docs.hello PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "0\\.500 s: middle at 0\\.0[4-9]")
