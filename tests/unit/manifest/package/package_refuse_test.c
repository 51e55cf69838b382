/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

#define ROW "package.rows[release=24.04,repository=distribution,flavour=open,use=desktop]"
#define OLD "package.rows[system=debian,branch_min=470]"

static void test_rows(void **state)
{
    static const struct broken cases[] = {
        {ROW ".flavour", "\"closed\"", NULL, "one of \"open\", \"proprietary\", \"either\""},
        {ROW ".use", NULL, NULL, "one of \"desktop\", \"data-centre\", \"server\""},
        {ROW ".packages", "[\"nvidia driver\"]", NULL, "names of letters, digits"},
        {ROW ".packages", "[]", NULL, "a list of 1 to 1000 non-empty strings"},
        {ROW ".components", "[\"non-free/' /x; s\"]", NULL, "names of letters, digits"},
        {ROW ".same", "[\"a;b\"]", NULL, "names of letters, digits"},
        {ROW ".system", "\"aaa\"", NULL, "a row that sorts after"},
        {ROW ".commands", "[\"sudo apt-get install x\"]", NULL, "commands without sudo"},
        {ROW ".commands", "[\"apt-get install x\\nreboot\"]", NULL, "printable ASCII"},
        {ROW ".commands", "[\"apt-get install nvidia-driver\"]", NULL, "BRANCH in the commands"},
        {ROW ".change", "[\"apt-get install x\"]", NULL, "BRANCH if commands have it"},
        {ROW ".branch_min", "470", NULL, "580, the first entry of branches"},
        {ROW ".branch_max", "620", NULL, "615, the last entry of branches"},
        {ROW ".branch_max", "1", NULL, "no branch below branch_min"},
        {ROW ".branches", "[\"580\", \"615\", \"595\"]", NULL, "branches such as 580"},
        {ROW ".branches", "[\"580\", \"580.1\"]", NULL, "branches such as 580"},
        {ROW ".branches", "[\"580\", \"583\", \"615\"]", NULL, "a branch that driver.rows lists"},
        {OLD ".branch_max", "550", OLD ".commands", "BRANCH in the commands, or only one branch"},
        {OLD ".flavour", "\"open\"", OLD ".branch_min", "a branch with an open module"},
        {"package.base_url", NULL, NULL, "a non-empty string"},
    };
    (void)state;
    REFUSE(cases);
}

#define PLACE "package.repositories[directory=debian13]"

static void test_repositories(void **state)
{
    static const struct broken cases[] = {
        {PLACE ".directory", "\"debian\"", NULL, "a row that sorts after repository/debian12"},
        {PLACE ".directory", "\"debian13/x\"", NULL, "a name of letters, digits"},
        {PLACE ".systems", "[\"debian\\u0007\"]", NULL, "names of letters"},
        {PLACE ".architectures", "[\"arm64\"]", NULL, "architectures that package.machines lists"},
        {PLACE ".release", "\"trixie\"", NULL, "a version such as"},
        {PLACE ".release", "\"12\"", PLACE ".systems",
         "a system and release that repository/debian12 does not have, found debian"},
        {PLACE ".format", "\"apk\"", NULL, "one of \"deb\", \"rpm\""},
        {PLACE ".commands", "[\"apt-get update\"]", NULL, "URL in the commands"},
        {PLACE ".source", "[\"nobody\"]", NULL, "keys from the table of sources"},
        {"package.machines[machine=aarch64].architecture", "\"a b\"", NULL, "a name of letters"},
    };
    (void)state;
    REFUSE(cases);
}

#define COMPILERS "package.compilers[system=debian,release=12]"

static void test_compilers(void **state)
{
    static const struct broken cases[] = {
        {COMPILERS ".gcc", "[\"12\", \"11\"]", NULL, "versions, oldest first"},
        {COMPILERS ".gcc", "[\"twelve\"]", NULL, "versions, oldest first"},
        {COMPILERS ".clang", "[\"13\", \"13.0\"]", NULL, "versions, oldest first"},
        {COMPILERS ".package", "\"g++\"", NULL, "a name with VERSION in it"},
        {COMPILERS ".program", "\"g++-VERSION; reboot\"", NULL, "a name with VERSION in it"},
        {COMPILERS ".release", "\"10\"", COMPILERS ".system",
         "a row that sorts after compilers/debian-11"},
    };
    (void)state;
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compilers),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_repositories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
