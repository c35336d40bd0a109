// The operators of jsonb that change a value (PostgreSQL's documentation, 9.16); errors are texts.

import { isList, isObject, type Json } from '../json.ts'

type Result = { readonly datum: Json } | string

/** `||`: objects are merged; other values are concatenated to a list. */
export function concatenated(left: Json, right: Json): Result {
  if (isObject(left) && isObject(right)) return { datum: { ...left, ...right } }
  const items = (json: Json): readonly Json[] => (isList(json) ? json : [json])
  return { datum: [...items(left), ...items(right)] }
}

/** `- 'key'` */
export function withoutKey(json: Json, key: string): Result {
  if (isList(json)) return { datum: json.filter((item) => item !== key) }
  if (!isObject(json)) return 'cannot delete from scalar'
  return { datum: Object.fromEntries(Object.entries(json).filter(([name]) => name !== key)) }
}

/** `- 1` */
export function withoutElement(json: Json, index: number): Result {
  if (isObject(json)) return 'cannot delete from object using integer index'
  if (!isList(json)) return 'cannot delete from scalar'
  return { datum: withoutIndex(json, index) }
}

function withoutIndex(list: readonly Json[], index: number): readonly Json[] {
  const place = index < 0 ? list.length + index : index
  return place < 0 || place >= list.length ? list : list.toSpliced(place, 1)
}

/** `#- '{a,1}'` */
export function withoutPath(json: Json, path: readonly string[]): Result {
  if (!isList(json) && !isObject(json)) return 'cannot delete path in scalar'
  const size = isList(json) ? json.length : Object.keys(json).length
  return size === 0 || path.length === 0 ? { datum: json } : withoutInner(json, path, 1)
}

/** `position` counts the elements of the whole path. */
function withoutInner(json: Json, [key, ...rest]: readonly string[], position: number): Result {
  if (key === undefined) return { datum: json }
  if (isList(json)) {
    if (!/^-?\d+$/.test(key)) return `path element at position ${position} is not an integer: "${key}"`
    const index = Number(key) < 0 ? json.length + Number(key) : Number(key)
    if (rest.length === 0) return { datum: withoutIndex(json, Number(key)) }
    const item = json[index]
    if (item === undefined) return { datum: json }
    const inner = withoutInner(item, rest, position + 1)
    return typeof inner === 'string' ? inner : { datum: json.with(index, inner.datum) }
  }
  if (!isObject(json) || !Object.hasOwn(json, key)) return { datum: json }
  if (rest.length === 0) return withoutKey(json, key)
  const inner = withoutInner(json[key]!, rest, position + 1)
  return typeof inner === 'string' ? inner : { datum: { ...json, [key]: inner.datum } }
}
