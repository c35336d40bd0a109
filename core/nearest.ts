// The name that was probably meant.

/** The candidate closest to a name, when it is close enough to be a slip of the pen; null when none is. */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const wanted = comparable(name)
  const closeEnough = Math.max(2, wanted.length / 4)
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(wanted, comparable(candidate))
    if (distance >= least || distance > closeEnough) continue
    best = candidate
    least = distance
  }
  return best
}

/** `server-port`, `server_port` and `serverPort` are one name. */
const comparable = (name: string): string => name.toLowerCase().replace(/[-_]/g, '')

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current[j] = Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1)
    }
    previous = current
  }
  return previous[b.length]!
}
