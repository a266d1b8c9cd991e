# SPDX-License-Identifier: MIT
# What `cmake --install` puts down: the public headers, the library, the program, a pkg-config file and a CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS phyxel EXPORT phyxelTargets)
install(TARGETS phyxel_cli)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/phyxel TYPE INCLUDE)
install(EXPORT phyxelTargets NAMESPACE phyxel:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/phyxel)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/phyxelConfig.cmake.in ${PROJECT_BINARY_DIR}/phyxelConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/phyxel)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/phyxelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/phyxelConfig.cmake ${PROJECT_BINARY_DIR}/phyxelConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/phyxel)
# A static library hands its own needs on; a shared one keeps them.
set(PHX_PC_PRIVATE "")
set(PHX_PC_LIBS "-pthread -lm")
if(embree_FOUND)
    string(PREPEND PHX_PC_LIBS "-lembree3 ")
endif()
if(WEBP_FOUND)
    string(PREPEND PHX_PC_LIBS "-lwebpmux -lwebp ")
endif()
if(BUILD_SHARED_LIBS)
    set(PHX_PC_PRIVATE ".private")
    set(PHX_PC_LIBS "")
endif()
set(PHX_PC_CFLAGS "")
if(PHX_DOUBLE)
    set(PHX_PC_CFLAGS "-DPHX_DOUBLE")
endif()
# Seen from the file itself, so that the installed tree may be moved.
file(RELATIVE_PATH PHX_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${CMAKE_CURRENT_LIST_DIR}/phyxel.pc.in ${PROJECT_BINARY_DIR}/phyxel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/phyxel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
