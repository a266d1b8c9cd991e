# SPDX-License-Identifier: MIT
# A short sample of the random scenes of tools/soak; ./dev soak runs more.
add_test(NAME soak.sample COMMAND ${PROJECT_SOURCE_DIR}/tools/soak 12 --seed 1 --seconds 2 --exe $<TARGET_FILE:phyxel_cli>
    --out ${PROJECT_BINARY_DIR}/soak)
set_tests_properties(soak.sample PROPERTIES TIMEOUT 300)
