// SPDX-License-Identifier: MIT
/// Includes all public headers.
#pragma once

#include <phyxel/base.h>
#include <phyxel/frame.h>
#include <phyxel/io.h>
#include <phyxel/pictures.h>
#include <phyxel/render.h>
#include <phyxel/show.h>
#include <phyxel/surface.h>
#include <phyxel/types.h>
#include <phyxel/world.h>
