// SPDX-License-Identifier: MIT
// Which method a material goes with: the one place that decides it. Methods say in their tables which laws they obey
// (`laws`) and which materials they are made for (`made_for`); nothing here names a method.
#pragma once

#include "methods/method.h"

/// The method that a body of this material takes if it names none: the one made for it, or, if that ignores a law the
/// material has besides, the first of the list that obeys all. `key` is the property that decided.
phx_result phxi_method_choose(const phx_material_def* material, const phxi_method** method, const char** key);
/// Fails, with the names of the methods that would do, if the method ignores a law of the material.
phx_result phxi_method_check(const phxi_method* method, const phx_material_def* material);
