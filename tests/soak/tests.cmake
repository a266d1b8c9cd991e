# SPDX-License-Identifier: MIT
# A short sample of the random scenes of tools/soak; ./dev soak runs more.
set(count 12)
if(PHX_SANITIZE) # ten times as slow
    set(count 4)
endif()
add_test(NAME soak.sample COMMAND ${PROJECT_SOURCE_DIR}/tools/soak ${count} --seed 1 --seconds 2 --exe $<TARGET_FILE:phyxel_cli>
    --out ${PROJECT_BINARY_DIR}/soak)
set_tests_properties(soak.sample PROPERTIES TIMEOUT 300 COST 100) # begun first
