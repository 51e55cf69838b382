/* SPDX-License-Identifier: MIT */
#include "install/install.h"

int main(int argc, char **argv)
{
    return install_main(argc, argv);
}
