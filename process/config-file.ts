// Reads the text of a configuration file into entries with their positions. Errors never quote the text, which may hold
// secrets.

import { createRequire } from 'node:module'
import type { Node as JsonNode, ParseError } from 'jsonc-parser'
import type { Document as YamlDocument, Node as YamlNode } from 'yaml'
import { OptionsError } from '../core/options/option-values.ts'
import { mostAliases } from './tuning.ts'

/** A key of the file's object with its value. */
export interface ConfigEntry {
  readonly key: string
  readonly value: unknown
  /** The value for text options: numbers and booleans, also in lists, as written in the file (`012`). */
  readonly texts: unknown
  /** The positions of key and value: `trellis.config.yaml:3:1` and `trellis.config.yaml:3:15`. */
  readonly keyPlace: string
  readonly place: string
}

/** A position in the text; both numbers start at 1. */
interface Position {
  readonly line: number
  readonly column: number
}

/** A mistake with its position. */
class ConfigProblem extends Error {
  readonly position: Position

  constructor(reason: string, position: Position) {
    super(reason)
    this.position = position
  }
}

type Parsed = Omit<ConfigEntry, 'keyPlace' | 'place'> & { readonly keyPosition: Position; readonly position: Position }

/** Loads a parser on demand: loading one takes longer than most starts without a configuration file can spare. */
const load = createRequire(import.meta.url)

/** Reads YAML from files with that extension, and JSON with comments from all others. */
export function parseConfigFile(name: string, text: string): readonly ConfigEntry[] {
  const parse = /\.ya?ml$/i.test(name) ? parseYaml : parseJson
  try {
    const entries = parse(text)
    refuseRepeated(entries)
    return entries.map(({ keyPosition, position, ...entry }) => ({
      ...entry,
      keyPlace: placeOf(name, keyPosition),
      place: placeOf(name, position),
    }))
  } catch (error) {
    if (error instanceof ConfigProblem) {
      throw new OptionsError(`Fatal Error:- Configuration file ${placeOf(name, error.position)}: ${error.message}`)
    }
    if (error instanceof RangeError) throw new OptionsError(`Fatal Error:- Configuration file ${name}: nested too deep`)
    throw error
  }
}

const placeOf = (name: string, { line, column }: Position): string => `${name}:${line}:${column}`

/** A key in a message: on one line, and shortened, because it may be a misplaced text. */
export const shownKey = (key: string): string => JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key)

function refuseRepeated(entries: readonly Parsed[]): void {
  const seen = new Set<string>()
  for (const { key, keyPosition } of entries) {
    if (seen.has(key)) throw new ConfigProblem(`${shownKey(key)} appears twice`, keyPosition)
    seen.add(key)
  }
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

/** The parser's error names, in words for people. */
const jsonWords: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected: 'expecting a key in double quotes',
  ValueExpected: 'expecting a value',
  ColonExpected: 'expecting a colon',
  CommaExpected: 'expecting a comma',
  CloseBraceExpected: 'expecting }',
  CloseBracketExpected: 'expecting ]',
  EndOfFileExpected: 'expecting the end of the file',
  UnexpectedEndOfComment: 'this comment does not end',
  UnexpectedEndOfString: 'this text does not end',
  InvalidSymbol: 'keys and texts need double quotes',
}

function parseJson(text: string): readonly Parsed[] {
  const { parseTree, getNodeValue, printParseErrorCode } = load('jsonc-parser') as typeof import('jsonc-parser')
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (root && root.type !== 'object') {
    throw new ConfigProblem('expecting a JSON object of options', positionAt(text, root.offset))
  }
  if (first || !root) {
    const reason = first && jsonWords[printParseErrorCode(first.error)]
    throw new ConfigProblem(reason ?? 'this is not JSON', positionAt(text, first?.offset ?? 0))
  }
  return (root.children ?? []).map(({ children }): Parsed => {
    const [key, value] = children as [JsonNode, JsonNode]
    const asText = (node: JsonNode): unknown => {
      const isBare = node.type === 'number' || node.type === 'boolean'
      return isBare ? text.slice(node.offset, node.offset + node.length) : getNodeValue(node)
    }
    return {
      key: String(key.value),
      value: getNodeValue(value),
      texts: value.type === 'array' ? value.children?.map(asText) : asText(value),
      keyPosition: positionAt(text, key.offset),
      position: positionAt(text, value.offset),
    }
  })
}

const yamlWords: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'expecting the name of an anchor after * (a text that starts with it needs quotes)',
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed',
  BAD_SCALAR_START: 'a text that starts with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second key on one line (a text with a colon and a space needs quotes)',
  DUPLICATE_KEY: 'this key appears twice',
  MISSING_CHAR: 'a quote, bracket, colon or space is missing',
  MULTIPLE_DOCS: 'expecting one document only',
  TAB_AS_INDENT: 'indentation is by spaces, not by tabs',
  TAG_RESOLVE_FAILED: 'this tag is not known',
}

function parseYaml(text: string): readonly Parsed[] {
  const { parseDocument, isMap, isScalar } = load('yaml') as typeof import('yaml')
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' })
  const [first] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])
  if (first) throw new ConfigProblem(yamlWords[first.code] ?? 'this is not YAML', positionAt(text, first.pos[0]))
  const { contents } = document
  if (contents === null) return []
  if (!isMap(contents)) {
    throw new ConfigProblem('expecting a mapping of options', positionAt(text, contents.range[0]))
  }
  return contents.items.map(({ key, value }): Parsed => {
    const position = positionAt(text, (value ?? key).range[0])
    const name = isScalar(key) ? String(key.source ?? key.value) : ''
    const values = aliasesFollowed(() => yamlValues(document, value), { key: name, position })
    return { key: name, ...values, keyPosition: positionAt(text, key.range[0]), position }
  })
}

function yamlValues(document: YamlDocument, node: YamlNode | null): Pick<Parsed, 'value' | 'texts'> {
  const { isScalar, isSeq } = load('yaml') as typeof import('yaml')
  // A few lines of aliases can expand to more than memory holds.
  const plain = (each: YamlNode): unknown => each.toJS(document, { maxAliasCount: mostAliases })
  const asText = (each: YamlNode): unknown =>
    isScalar(each) && ['number', 'boolean'].includes(typeof each.value) ? each.source : plain(each)
  if (node === null) return { value: null, texts: null }
  return { value: plain(node), texts: isSeq<YamlNode>(node) ? node.items.map(asText) : asText(node) }
}

/** Reports the position of aliases that cannot be resolved. */
function aliasesFollowed<T>(work: () => T, { key, position }: Pick<Parsed, 'key' | 'position'>): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    const reason = /^Excessive/.test(error.message) ? 'too many aliases' : 'an alias without an anchor before it'
    throw new ConfigProblem(`${shownKey(key)}: ${reason} (a text that begins with * needs quotes)`, position)
  }
}
