/* SPDX-License-Identifier: MIT */
#include "manifest/agreement.h"

#include "manifest/reader/problems.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

/* The rows of one table. What was asked of a subject that cannot be read has no answer. */
static bool rows_agree(struct manifest *manifest, struct manifest_document *document,
                       const struct manifest_subject *subject, unsigned number)
{
    const struct manifest_table *table = &subject->tables[number];
    struct manifest_place place = {
        .document = document, .subject = subject->name, .table = table->name};
    size_t count;
    const char *rows = manifest_rows(manifest, subject, number, &count);
    if (manifest_missed(manifest))
        document->problems->partial = true;
    bool agree = true;
    for (; place.row < count && !document_is_full(document); place.row++) {
        size_t before = document->problems->count;
        bool agrees = table->agrees(manifest, &place, rows + place.row * table->row_size);
        if (manifest_missed(manifest)) {
            problems_truncate(document->problems, before);
            document->problems->partial = true;
        } else if (!agrees) {
            agree = false;
        }
    }
    return agree;
}

bool manifest_agrees(struct manifest *manifest, struct manifest_document *document)
{
    bool agree = true;
    for (size_t i = 0; manifest_subjects[i] != NULL; i++)
        for (unsigned table = 0; table < MANIFEST_TABLES; table++)
            if (manifest_subjects[i]->tables[table].agrees != NULL &&
                !rows_agree(manifest, document, manifest_subjects[i], table))
                agree = false;
    return agree;
}
