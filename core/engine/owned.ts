// Declarations of a plugin that name it in their errors.

import type { ComparisonOperator } from '../compiler/types/comparison-operator.ts'
import type { TypeSupport } from '../compiler/types/type-support.ts'
import { requireFragment } from '../database/sql/sql.ts'
import { isConnectionLost } from '../database/wire/postgres-errors.ts'
import { own } from '../errors/blame.ts'
import { TrellisError } from '../errors/errors.ts'
import type { ModelEffect, Slice } from '../metadata/slices/slices.ts'
import type { Source } from '../metadata/slices/sources.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { Engine } from './plugin.ts'
import { type LoadedPlugin, pluginFailure, pluginLabel } from './plugins.ts'

/** Records the owner of a declaration. Code of built-in plugins runs that of others, which its errors may come from. */
export function ownedBy(loaded: LoadedPlugin, declaration: object): void {
  if (!loaded.plugin.builtIn) own(declaration, pluginLabel(loaded))
}

/** Blames errors of a plugin's settings on it. */
export function ownSettings(settings: SessionSettings, plugin: LoadedPlugin): Engine['sessionSettings'] {
  return {
    add(more) {
      settings.add(more)
      ownedBy(plugin, more)
    },
    of: (...given) => settings.of(...given),
    apply: (...given) => settings.apply(...given),
  }
}

/** Names the plugin where the operator gives no SQL. */
export function operatorOf(operator: ComparisonOperator, plugin: LoadedPlugin): ComparisonOperator {
  if (plugin.plugin.builtIn) return operator
  const giver = (member: string) => `${pluginLabel(plugin)}: "${member}" of operator ${operator.name}`
  return {
    ...operator,
    sql: (...given) => requireFragment(operator.sql(...given), giver('sql')),
    ...(operator.trial && { trial: (...given) => requireFragment(operator.trial!(...given), giver('trial')) }),
  }
}

/** Names the plugin where the type gives no SQL. */
export function typeOf(type: TypeSupport, plugin: LoadedPlugin): TypeSupport {
  if (plugin.plugin.builtIn || !type.json) return type
  const giver = `${pluginLabel(plugin)}: "json" of type ${type.name}`
  return {
    ...type,
    codec: (...given) => type.codec(...given),
    json: (...given) => requireFragment(type.json!(...given), giver),
  }
}

/**
 * Names the plugin in errors of the slice's `resolve`. A broken entry is not an error; it is reported as
 * inconsistent.
 */
export function withOwner(slice: Slice, plugin: LoadedPlugin): Slice {
  if (!slice.resolve) return slice
  const resolve: Slice['resolve'] = (value, context) => {
    try {
      const resolved = slice.resolve?.(value, context)
      refusePromise(resolved)
      return resolved
    } catch (error) {
      throw pluginFailure(plugin, error, `failed to resolve the metadata "${slice.key}"`)
    }
  }
  return { ...slice, resolve }
}

/** Refuses the promise of an asynchronous function where it would not be awaited. */
function refusePromise(value: unknown): void {
  if (!(value instanceof Promise)) return
  value.catch(() => {})
  throw new Error('"resolve" must not be asynchronous')
}

/** Names the plugin in errors of the source's `wanted`. */
export const wantedBy = <Definition, Value>(
  source: Source<Definition, Value>,
  plugin: LoadedPlugin,
): Source<Definition, Value> => ({
  key: source.key,
  ...(source.timeout !== undefined && { timeout: source.timeout }),
  ...(source.reloadedBy !== undefined && { reloadedBy: source.reloadedBy }),
  fetch: (definition, signal, context) => source.fetch(definition, signal, context),
  wanted(document) {
    try {
      const wanted = source.wanted(document)
      if (!Array.isArray(wanted)) throw new Error('"wanted" has to give a list')
      return wanted
    } catch (error) {
      throw pluginFailure(plugin, error, `failed in "wanted" of the source "${source.key}"`)
    }
  },
})

/** Names the plugin in errors of the effect at startup, which no request caused. */
export const reconciling =
  (effect: ModelEffect, plugin: LoadedPlugin): ModelEffect =>
  async (change) => {
    try {
      await effect(change)
    } catch (error) {
      // After a lost connection, the start is retried.
      const isLost = error instanceof TrellisError && isConnectionLost(error)
      if (change.previous !== null || isLost) throw error
      throw pluginFailure(plugin, error, 'failed to bring the database in line with the metadata')
    }
  }
