/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>

#include "base/text.h"

/* Runs a fuzz target over the files of the given directories, for machines without libFuzzer. */
static int replay_file(const char *path)
{
    AUTO_TEXT struct text content = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 0;
    }
    char buffer[65536];
    for (size_t got; (got = fread(buffer, 1, sizeof(buffer), file)) > 0;)
        text_append_n(&content, buffer, got);
    fclose(file);
    LLVMFuzzerTestOneInput((const uint8_t *)text_string(&content), content.size);
    return 1;
}

int main(int argc, char **argv)
{
    int replayed = 0;
    for (int i = 1; i < argc; i++) {
        DIR *directory = opendir(argv[i]);
        if (directory == NULL) {
            perror(argv[i]);
            return 1;
        }
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            AUTO_FREE char *path = mem_printf("%s/%s", argv[i], entry->d_name);
            if (entry->d_name[0] != '.')
                replayed += replay_file(path);
        }
        closedir(directory);
    }
    printf("%d inputs\n", replayed);
    return replayed > 0 ? 0 : 1;
}
