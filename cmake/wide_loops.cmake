# SPDX-License-Identifier: MIT
# Loops over neighbours (math/lanes.h) are compiled twice: for every machine, and with sixteen floats at a time for
# AVX-512. The program chooses when it calls them. A new file of such loops is one more line here.
#
# Doubles do not fill the registers twice as well, and sanitizers run before the choice can be made: both do without.
set(PHX_WIDE_LOOPS
    src/methods/granular/pair_forces.c
    src/methods/granular/pair_rates.c
    src/methods/mpm/gather.c
    src/methods/mpm/scatter.c
    src/methods/peridynamics/loops.c
    src/methods/wcsph/pair_forces.c
    src/methods/wcsph/pair_rates.c
    src/methods/wcsph/pair_walls.c
    src/methods/wcsph/viscous_loops.c
    src/neighbors/near_scan.c)
set(PHX_WIDE_CHECK_LOOPS
    checks/bench/bare_granular.c
    checks/bench/bare_wcsph.c)

# phx_add_wide(TARGET SOURCES...): their second compilation, as objects of a target of that name.
function(phx_add_wide target)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
    add_library(${target} OBJECT ${sources})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                                 ${PROJECT_SOURCE_DIR}/checks)
    target_link_libraries(${target} PRIVATE phyxel_settings)
    target_compile_definitions(${target} PRIVATE PHX_BUILDING PHXI_LANES_WIDE)
    target_compile_options(${target} PRIVATE -mavx512f -mavx512dq -mavx512vl -mavx512bw -mprefer-vector-width=512)
endfunction()

set(PHX_WIDE_OBJECTS "")
set(PHX_WIDE_CHECK_OBJECTS "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT PHX_DOUBLE AND NOT PHX_SANITIZE)
    target_compile_definitions(phyxel_settings INTERFACE
        $<$<NOT:$<BOOL:$<TARGET_PROPERTY:PHX_PLAIN>>>:PHXI_AVX512>) # PHX_PLAIN: a target for any x86-64 (tests/plain)
    phx_add_wide(phyxel_wide ${PHX_WIDE_LOOPS})
    phx_add_wide(phyxel_wide_checks ${PHX_WIDE_CHECK_LOOPS})
    set(PHX_WIDE_OBJECTS $<TARGET_OBJECTS:phyxel_wide>)
    set(PHX_WIDE_CHECK_OBJECTS $<TARGET_OBJECTS:phyxel_wide_checks>)
endif()

# Every file of the library whose machine code depends on these choices.
set(PHX_LOOP_SOURCES "")
foreach(source IN LISTS PHX_SOURCES)
    file(STRINGS ${source} found REGEX "PHXI_(CLONES|LOOP_CLONES|LANES_CALL|LANES_NAME)" LIMIT_COUNT 1)
    if(found)
        list(APPEND PHX_LOOP_SOURCES ${source})
    endif()
endforeach()
