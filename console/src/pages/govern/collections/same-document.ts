// Documents that the allow-list takes for equal. It is loaded apart, with the parser.

import { Kind, parse, print, visit } from 'graphql'

/** A text that is equal for documents of the same syntax tree, apart from `__typename`. A text with faults stays. */
export function sameDocument(query: string): string {
  try {
    const document = visit(parse(query, { noLocation: true }), {
      [Kind.FIELD]: (node) => (node.name.value === '__typename' ? null : undefined),
    })
    return print(document)
  } catch {
    return query
  }
}
