// Places of two JSON values that the other value does not have: members of lists are matched by their content, not their place.

type Path = string

/** The places of both values that differ, by their paths, as `data.album[0].title`. */
export interface Marks {
  readonly left: ReadonlySet<Path>
  readonly right: ReadonlySet<Path>
}

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The path of a member. */
export const memberPath = (path: string, key: string, isList: boolean): Path =>
  isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`

/** The plain members of an object: rows with equal ones are likely the same row. */
const scalarsOf = (value: unknown): string =>
  isParent(value) && !Array.isArray(value)
    ? JSON.stringify(Object.entries(value).filter(([, each]) => !isParent(each)))
    : JSON.stringify(value)

/** Pairs of indexes whose texts are equal; each index is in one pair at most. */
function pairsBy(texts: readonly string[], others: readonly string[]): readonly (readonly [number, number])[] {
  const free = new Map<string, number[]>()
  for (const [at, text] of others.entries()) free.set(text, [...(free.get(text) ?? []), at])
  return texts.flatMap((text, at) => {
    const found = free.get(text)?.shift()
    return found === undefined ? [] : [[at, found] as const]
  })
}

/** The indexes below a number that are not among others. */
function without(count: number, others: readonly number[]): readonly number[] {
  const known = new Set(others)
  return Array.from({ length: count }, (_, at) => at).filter((at) => !known.has(at))
}

/** Compares two values. */
export function marksBetween(one: unknown, other: unknown): Marks {
  const left = new Set<Path>()
  const right = new Set<Path>()
  const compare = (a: unknown, b: unknown, at: Path, bt: Path): void => {
    if (Object.is(a, b)) return
    if (Array.isArray(a) && Array.isArray(b)) {
      compareLists(a, b, at, bt)
      return
    }
    if (!isParent(a) || !isParent(b) || Array.isArray(a) || Array.isArray(b)) {
      left.add(at)
      right.add(bt)
      return
    }
    const [members, others] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
    for (const [key, value] of members) {
      if (others.has(key)) compare(value, others.get(key), memberPath(at, key, false), memberPath(bt, key, false))
      else left.add(memberPath(at, key, false))
    }
    for (const key of others.keys()) if (!members.has(key)) right.add(memberPath(bt, key, false))
  }
  const compareLists = (a: readonly unknown[], b: readonly unknown[], at: Path, bt: Path): void => {
    const same = pairsBy(
      a.map((each) => JSON.stringify(each)),
      b.map((each) => JSON.stringify(each)),
    )
    const restA = without(
      a.length,
      same.map(([one]) => one),
    )
    const restB = without(
      b.length,
      same.map(([, two]) => two),
    )
    const alike = pairsBy(
      restA.map((i) => scalarsOf(a[i])),
      restB.map((i) => scalarsOf(b[i])),
    ).map(([i, j]) => [restA[i]!, restB[j]!] as const)
    for (const [i, j] of alike) compare(a[i], b[j], memberPath(at, String(i), true), memberPath(bt, String(j), true))
    const pairedA = new Set(alike.map(([one]) => one))
    const pairedB = new Set(alike.map(([, two]) => two))
    for (const i of restA) if (!pairedA.has(i)) left.add(memberPath(at, String(i), true))
    for (const j of restB) if (!pairedB.has(j)) right.add(memberPath(bt, String(j), true))
  }
  compare(one, other, '', '')
  return { left, right }
}
