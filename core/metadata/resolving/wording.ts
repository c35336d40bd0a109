// The words about metadata objects that differ in interface 2: objects have a name and a source there.

import { isJsonObject } from '../../json/json.ts'
import { nameText } from '../../names/names.ts'
import type { InterfaceName } from '../../names/version.ts'
import type { Model } from '../document/model.ts'
import { type ConflictingObject, type ObjectRef, objectText } from '../document/objects.ts'
import { defaultSource, sourceName } from '../slices/given-source.ts'

/** The interface of an answer, and the name of the source there. */
export interface Wording {
  readonly interface: InterfaceName
  readonly source: string
}

/** The words of v1.3, for logs. */
export const formerWording: Wording = { interface: '1.3', source: defaultSource }

/** The words of an answer about a model. */
export const wordingOf = (
  { slices }: Pick<Model, 'slices'>,
  { interface: interfaceName }: { readonly interface: InterfaceName },
): Wording => ({ interface: interfaceName, source: sourceName(slices) })

const prefix = 'Inconsistent object: '

/** The reason of an inconsistency. */
export const reasonText = (reason: string, wording: Wording): string =>
  wording.interface === '2' ? `${prefix}${inSource(reason)}` : reason

/** The reasons of several, as the message of an error. */
export const reasonsText = (reasons: readonly string[], wording: Wording): string =>
  wording.interface === '2' ? `${prefix}${reasons.map(inSource).join(', ')}` : reasons.join(', ')

/** Reasons are made when the metadata are resolved, which is before any request. */
const inSource = (reason: string): string =>
  reason
    .replace('such table/view exists in postgres: ', 'such table/view exists in source: ')
    .replace('such function exists in postgres : ', 'such function exists: ')
    .replace(/(?<=is not an object)(?= type defined in custom types$)/, ' or scalar')
    .replace(/(?<=no foreign constraint exists on the given column)$/, '(s)')

const duplicates = /^following (\w+) root fields are duplicated: /

/** The error about root fields that several objects claim. */
export const conflictText = (message: string, wording: Wording): string =>
  wording.interface === '2'
    ? message.replace(duplicates, 'found duplicate fields in selection set for $1 root: ')
    : message

/** Whether a message is about root fields that several objects claim. */
export const isAboutRootFields = (message: string): boolean => duplicates.test(message)

/** An object that depends on another one. */
export const dependentText = (object: ObjectRef, { interface: interfaceName, source }: Wording): string =>
  interfaceName === '2' && (object.table || object.kind === 'function')
    ? `${objectText(object)} in source "${source}"`
    : objectText(object)

/** An object in the list of inconsistent ones, without its reason. */
export function listedObject(
  object: ConflictingObject,
  { interface: interfaceName, source }: Wording,
): Record<string, unknown> {
  const { ref, type, later } = object
  if (interfaceName !== '2') return { type, definition: object.definition }
  const { definition = object.definition } = later ?? {}
  const isPart = ref.table !== undefined && ref.kind !== 'table'
  const own = isPart && isJsonObject(definition) ? { ...definition, source } : definition
  return { type, name: listedName(object, source), definition: own }
}

function listedName({ ref, type, later }: ConflictingObject, source: string): string {
  if (later?.name !== undefined) return `${type} ${later.name}`
  const { kind, table, name, detail } = ref
  if (kind === 'table' && table) return `table ${nameText(table)} in source ${source}`
  if (table) return `${[type, name].filter(Boolean).join(' ')} in table ${nameText(table)} in source ${source}`
  if (kind === 'function') return `function ${[name, detail].filter(Boolean).join('.')} in source ${source}`
  return name === undefined || name === type ? type : `${type} ${name}`
}
