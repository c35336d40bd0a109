// The local names of a remote schema's types and fields: the server's names, unless the definition customizes them.

import { type GraphQLSchema, isInterfaceType, isObjectType, isSpecifiedScalarType } from 'graphql'
import { badRequest } from '../../../sdk/index.ts'
import type { Customization, NameChanges } from '../schema.ts'

/** Maps between the server's names and *local* names, which this engine's schema has. */
export class RemoteNames {
  /** The root field that holds all other fields; null without a namespace. */
  readonly namespace: string | null
  /** Whether all types keep the server's names. */
  readonly keepsTypes: boolean
  readonly #localTypes = new Map<string, string>()
  readonly #remoteTypes = new Map<string, string>()
  readonly #fields: ReadonlyMap<string, NameChanges>

  /** Leniently, fields of types that are not there are passed over. */
  constructor(schema: GraphQLSchema, customization: Customization, lenient = false) {
    const { root_fields_namespace, type_names, field_names = [] } = customization
    this.namespace = root_fields_namespace ?? null
    this.#fields = new Map(field_names.map(({ parent_type, ...changes }) => [parent_type, changes]))
    const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    for (const type of Object.values(schema.getTypeMap())) {
      const { name } = type
      const isFixed = name.startsWith('__') || isSpecifiedScalarType(type) || (isObjectType(type) && roots.has(type))
      const local = changed(name, type_names, isFixed)
      checkReserved(name, local)
      const other = this.#remoteTypes.get(local)
      if (other !== undefined) throw ambiguous(`the types "${other}" and "${name}" are both called "${local}"`)
      this.#localTypes.set(name, local)
      this.#remoteTypes.set(local, name)
    }
    if (this.namespace !== null) checkReserved('', this.namespace)
    this.keepsTypes = [...this.#localTypes].every(([remote, local]) => remote === local)
    this.#checkFields(schema, lenient)
  }

  localType(name: string): string {
    return this.#localTypes.get(name) ?? name
  }

  remoteType(local: string): string {
    return this.#remoteTypes.get(local) ?? local
  }

  localField(type: string, field: string): string {
    return changed(field, this.#fields.get(type), false)
  }

  #checkFields(schema: GraphQLSchema, lenient: boolean): void {
    for (const parent of this.#fields.keys()) {
      const type = schema.getType(parent)
      if (!type && lenient) continue
      if (!isObjectType(type) && !isInterfaceType(type)) {
        throw ambiguous(`there is no object or interface type "${parent}"`)
      }
      const locals = Object.keys(type.getFields()).map((field) => {
        const local = this.localField(parent, field)
        checkReserved(field, local)
        return local
      })
      const repeated = locals.find((name, i) => locals.indexOf(name) !== i)
      if (repeated !== undefined) throw ambiguous(`several fields of the type "${parent}" are called "${repeated}"`)
    }
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) && !isInterfaceType(type)) continue
      for (const implemented of type.getInterfaces()) {
        const other = Object.keys(implemented.getFields()).find(
          (field) => this.localField(implemented.name, field) !== this.localField(type.name, field),
        )
        if (other === undefined) continue
        const rule = `is not called the same in the interface "${implemented.name}"`
        throw ambiguous(`the field "${other}" of the type "${type.name}" ${rule}`)
      }
    }
  }
}

const ambiguous = (reason: string) => badRequest('remote-schema-error', `the customization does not fit: ${reason}`)

/** Throws if a customization makes a name that GraphQL reserves. */
function checkReserved(name: string, local: string): void {
  if (local !== name && local.startsWith('__')) throw ambiguous(`the name "${local}" begins with two underscores`)
}

function changed(name: string, { mapping = {}, prefix = '', suffix = '' }: NameChanges = {}, isFixed: boolean): string {
  if (Object.hasOwn(mapping, name)) return mapping[name]!
  return isFixed ? name : `${prefix}${name}${suffix}`
}
