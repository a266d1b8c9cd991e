// SPDX-License-Identifier: MIT
/// The whole of phyxel.
#pragma once

#include <phyxel/base.h>
#include <phyxel/frame.h>
#include <phyxel/io.h>
#include <phyxel/render.h>
#include <phyxel/surface.h>
#include <phyxel/types.h>
#include <phyxel/world.h>
