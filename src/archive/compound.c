/* Archives of a compound. */
#include "../parts/tree.h"
#include "archive.h"

apart_status apart_compound_write(const apart_compound *compound, void *memory, size_t size, size_t *needed)
{
    ap_archive_writer w;
    if (compound == NULL || (memory == NULL && size > 0)) {
        return APART_ERR_NULL;
    }
    ap_writer_begin(&w, &compound->allocator, memory, size);
    ap_writer_note_compound(&w, compound);
    if (w.status == APART_OK) {
        ap_writer_put_library(&w, AP_ARCHIVE_COMPOUND);
    }
    return ap_writer_end(&w, needed);
}

apart_status apart_compound_read(const void *memory, size_t size, const apart_allocator *allocator,
                                 apart_compound **out)
{
    const apart_allocator standard = {NULL, NULL, NULL}, *used = allocator != NULL ? allocator : &standard;
    ap_archive_reader r;
    if (memory == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    ap_reader_begin(&r, used, memory, size, AP_ARCHIVE_COMPOUND);
    if (r.status == APART_OK && (r.compound_count != 1 || r.mesh_count != 0 || r.at != r.end)) {
        ap_reader_fail(&r, APART_ERR_BLOCK);
    }
    if (r.status != APART_OK) {
        ap_owned_free(r.owned, used);
        return r.status;
    }
    /* The compound, which is the last that was made, leaves the list, and owns the rest of it. */
    ap_owned *last = r.owned;
    apart_compound *compound = r.compounds[0];
    compound->owned = last->next;
    ap_release(used, last);
    *out = compound;
    return APART_OK;
}
