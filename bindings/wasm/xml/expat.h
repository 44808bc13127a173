/* The part of expat's interface that the readers of apart-io call, for WebAssembly, where Debian has no expat.
 * xml.c provides it. */
#ifndef APART_WASM_EXPAT_H
#define APART_WASM_EXPAT_H

#include <stddef.h>

#define XMLCALL
#define XML_TRUE 1
#define XML_FALSE 0

typedef char XML_Char;
typedef struct XML_ParserStruct *XML_Parser;

enum XML_Status { XML_STATUS_ERROR = 0, XML_STATUS_OK = 1 };
enum XML_Error {
    XML_ERROR_NONE,
    XML_ERROR_NO_MEMORY,
    XML_ERROR_SYNTAX,
    XML_ERROR_NO_ELEMENTS,
    XML_ERROR_UNCLOSED_TOKEN,
    XML_ERROR_TAG_MISMATCH,
    XML_ERROR_DUPLICATE_ATTRIBUTE,
    XML_ERROR_JUNK_AFTER_DOC_ELEMENT,
    XML_ERROR_UNDEFINED_ENTITY,
    XML_ERROR_ABORTED,
    XML_ERROR_COUNT
};

typedef void(XMLCALL *XML_StartElementHandler)(void *user, const XML_Char *name, const XML_Char **attributes);
typedef void(XMLCALL *XML_EndElementHandler)(void *user, const XML_Char *name);
typedef void(XMLCALL *XML_CharacterDataHandler)(void *user, const XML_Char *text, int length);
typedef void(XMLCALL *XML_EntityDeclHandler)(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
                                             int length, const XML_Char *base, const XML_Char *system_id,
                                             const XML_Char *public_id, const XML_Char *notation);

XML_Parser XML_ParserCreate(const XML_Char *encoding);
void XML_ParserFree(XML_Parser parser);
void XML_SetUserData(XML_Parser parser, void *user);
void XML_SetElementHandler(XML_Parser parser, XML_StartElementHandler start, XML_EndElementHandler end);
void XML_SetCharacterDataHandler(XML_Parser parser, XML_CharacterDataHandler handler);
void XML_SetEntityDeclHandler(XML_Parser parser, XML_EntityDeclHandler handler);
/* Pieces are collected; the last one is parsed with all before it. */
enum XML_Status XML_Parse(XML_Parser parser, const char *data, int size, int is_final);
void XML_StopParser(XML_Parser parser, int resumable);
enum XML_Error XML_GetErrorCode(XML_Parser parser);
const char *XML_ErrorString(enum XML_Error code);
size_t XML_GetCurrentLineNumber(XML_Parser parser);   /* from 1 */
size_t XML_GetCurrentColumnNumber(XML_Parser parser); /* from 0 */

#endif
