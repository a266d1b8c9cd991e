// SPDX-License-Identifier: MIT
#include "methods/method.h"
#include "support/test.h"

TEST(methods_are_found_by_name) {
    const phxi_method* efg = phxi_method_find("efg");
    REQUIRE(efg);
    ENSURE(strcmp(efg->name, "efg") == 0);
}

TEST(a_slip_is_pointed_out) {
    ENSURE(phxi_method_find("egf") == NULL);
    ENSURE_MESSAGE("did you mean 'efg'");
    ENSURE(phxi_method_find("something_else") == NULL);
    ENSURE_MESSAGE("something_else");
    ENSURE(phxi_method_find(NULL) == NULL);
}

TEST(tables_are_complete) {
    for (int i = 0; phxi_methods[i]; ++i) {
        const phxi_method* m = phxi_methods[i];
        REQUIRE(m->name && m->summary && m->params && m->create && m->destroy && m->add_body && m->stable_dt &&
                (m->substep || m->implicit) && m->measure && m->state_size > 0);
        REQUIRE(!m->display || (m->display->fields && m->display->derive));
        REQUIRE(!m->saving ||
                ((m->saving->words || m->saving->word_count == 0) && !m->saving->pack == !m->saving->unpack));
        REQUIRE(!m->implicit || (m->implicit->dt && m->implicit->offer));
        REQUIRE(!m->space || m->space->reach);
        ENSURE(strcmp(m->params->name, m->name) == 0);
        char memory[4096];
        REQUIRE(m->params->size <= sizeof memory);
        phxi_params_defaults(m->params, memory);
        ENSURE_OK(phxi_params_check(m->params, memory));
        for (int k = 0; k < m->params->count; ++k) {
            ENSURE(m->params->params[k].help && m->params->params[k].unit);
        }
        for (int k = 0; k < m->field_count; ++k) {
            ENSURE(strncmp(m->fields[k].name, m->name, strlen(m->name)) == 0);
        }
    }
}
