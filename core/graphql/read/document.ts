// GraphQL documents: parsed once per text. The operation is chosen by the rules of the interface.

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  isExecutableDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type VariableDefinitionNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { badRequest, type ErrorHelp, validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import {
  almostFull,
  bytesPerToken,
  longestHint,
  maxCachedBytes,
  maxDocumentLength,
  maxTokens,
  newcomersPerPlace,
} from '../tuning.ts'
import { checkFragments } from './fragments.ts'

/** One operation of a document, ready to be planned. */
export interface GraphQLOperation {
  /** The text of the whole document, as the client wrote it. */
  readonly text: string
  readonly node: OperationDefinitionNode
  readonly kind: 'query' | 'mutation' | 'subscription'
  readonly variables: ReadonlyMap<string, VariableDefinitionNode>
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** A parsed GraphQL document; `operationName` chooses one of its operations. */
export interface ParsedDocument {
  readonly text: string
  readonly node: DocumentNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Operations chosen before, by `operationName` (null when absent). */
  readonly operations: Map<string | null, GraphQLOperation>
}

/** Parses with a cache by text. */
export class DocumentCache {
  readonly #documents: LRUCache<string, ParsedDocument>

  /** `onForgotten` is called for evicted documents. */
  constructor(size: number, onForgotten: (document: ParsedDocument) => void = () => {}) {
    this.#documents = new LRUCache({
      dispose: onForgotten,
      max: Math.max(size, 1),
      maxSize: maxCachedBytes,
      maxEntrySize: maxCachedBytes / 16,
      sizeCalculation: ({ text, node }) => text.length + bytesPerToken * (node.tokenCount ?? 0) + 1,
    })
  }

  get(text: string): ParsedDocument {
    const known = this.#documents.get(text)
    if (known) return known
    const document = parseDocument(text)
    if (this.#isAdmitted) this.#documents.set(text, document)
    return document
  }

  /**
   * Admits every document while there is room, and only a random share of new documents after that. If each were
   * admitted, a cycle of documents longer than the cache would evict every document before its next use.
   */
  get #isAdmitted(): boolean {
    const { size, max, calculatedSize } = this.#documents
    if (size < max && calculatedSize < maxCachedBytes * almostFull) return true
    // Random, because a counter can fall into step with the cycle.
    return Math.random() * newcomersPerPlace < 1
  }

  /** Whether a document with this text is cached. */
  has(text: string): boolean {
    return this.#documents.has(text)
  }

  /** The cached documents, most recently used first. */
  get all(): readonly ParsedDocument[] {
    return [...this.#documents.values()]
  }
}

/** Parses a text; `validation-failed` at `$.query` when it is not GraphQL. */
export function parseDocument(text: string): ParsedDocument {
  const node = parseDefinitions(text)
  checkOperationNames(node)
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of node.definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue
    const name = definition.name.value
    if (fragments.has(name)) throw badRequest('parse-failed', `multiple definitions for fragment "${name}"`)
    fragments.set(name, definition)
  }
  return { text, node, fragments, operations: new Map() }
}

/**
 * The syntax tree of a text; null if it is not GraphQL, or if it contains other definitions than operations and
 * fragments.
 */
export function parseText(text: string): DocumentNode | null {
  try {
    return parseDefinitions(text)
  } catch {
    return null
  }
}

function parseDefinitions(text: string): DocumentNode {
  // A plugin may forward a client's value unchecked.
  if (typeof text !== 'string') throw notGraphQL(() => ({ hint: 'the query is not a string' }))
  if (text.length > maxDocumentLength)
    throw notGraphQL(() => ({
      hint: `a document has at most ${maxDocumentLength} characters; pass long values as variables`,
    }))
  let node: DocumentNode
  try {
    node = parse(text, { noLocation: true, maxTokens, allowEmptySelectionSets: false })
  } catch (error) {
    throw notGraphQL(() => syntaxHelp(error))
  }
  if (node.definitions.every(isExecutableDefinitionNode)) return node
  throw notGraphQL(() => ({ hint: 'a request holds operations and fragments only' }))
}

const notGraphQL = (help: () => ErrorHelp) => validationFailed('not a valid graphql query', ['query'], help)

function syntaxHelp(error: unknown): ErrorHelp {
  // A RangeError: the document is nested too deeply for the stack.
  if (!(error instanceof GraphQLError)) return { hint: 'the document is nested too deeply' }
  const said = error.message.replace(/^Syntax Error: /, '')
  const hint = said.length > longestHint ? `${said.slice(0, longestHint)}…` : said
  return { hint, locations: error.locations?.map(({ line, column }) => ({ line, column })) }
}

function checkOperationNames({ definitions }: DocumentNode): void {
  const names = new Set<string>()
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION || !definition.name) continue
    const name = definition.name.value
    if (names.has(name)) throw validationFailed(`There can be only one operation named "${name}".`)
    names.add(name)
  }
}

/** Chooses the operation of a request. */
export function chooseOperation(document: ParsedDocument, name: string | null): GraphQLOperation {
  const known = document.operations.get(name)
  if (known) return known
  const node = findOperation(document.node, name)
  const variables = new Map<string, VariableDefinitionNode>()
  for (const definition of node.variableDefinitions ?? []) {
    const variable = definition.variable.name.value
    if (variables.has(variable)) throw badRequest('parse-failed', `multiple definitions for variable "${variable}"`)
    variables.set(variable, definition)
  }
  checkFragments(node.selectionSet, document.fragments)
  const operation = { text: document.text, node, kind: node.operation, variables, fragments: document.fragments }
  document.operations.set(name, operation)
  return operation
}

function findOperation(node: DocumentNode, name: string | null): OperationDefinitionNode {
  const operations = node.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  if (name === null) {
    if (operations.length === 1) return operations[0]!
    throw validationFailed(
      'exactly one operation has to be present in the document when operationName is not specified',
    )
  }
  if (operations.some((operation) => !operation.name)) {
    throw validationFailed('operationName cannot be used when an anonymous operation exists in the document')
  }
  const found = operations.find((operation) => operation.name?.value === name)
  if (!found) {
    const help = didYouMean(name, () => operations.flatMap((operation) => operation.name?.value ?? []))
    throw validationFailed(`no such operation found in the document: "${name}"`, [], help)
  }
  return found
}
