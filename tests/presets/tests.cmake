# SPDX-License-Identifier: MIT
# A sample of tools/preset_hares at few particles: a preset with nothing else said does what is expected of it.
if(PHX_SANITIZE) # what it measures is not there; random scenes go the same ways
    return()
endif()
add_test(NAME presets.sample COMMAND ${PROJECT_SOURCE_DIR}/tools/preset_hares rubber clay steel water wax toothpaste slime
    --particles 1000
    --no-pictures --exe $<TARGET_FILE:phyxel_cli> --out ${PROJECT_BINARY_DIR}/hares)
set_tests_properties(presets.sample PROPERTIES TIMEOUT 300 COST 100) # begun first
