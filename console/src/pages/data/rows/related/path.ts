// The way to a related row as a text of the address: `1/tracks:6/genre` is the genre of track 6 among the tracks of row 1.

/** A step to related rows. */
export interface Step {
  readonly link: string
  /** The key of the chosen row; null: all rows of the step, or the only one. */
  readonly key: readonly string[] | null
}

/** A row with the steps from it. */
export interface RelatedPath {
  readonly key: readonly string[]
  readonly steps: readonly Step[]
}

const keyText = (key: readonly string[]): string => key.map(encodeURIComponent).join(',')
const keyOf = (text: string): readonly string[] => text.split(',').map(decodeURIComponent)

/** The text of a way. */
export const pathText = ({ key, steps }: RelatedPath): string =>
  [
    keyText(key),
    ...steps.map((step) => encodeURIComponent(step.link) + (step.key === null ? '' : `:${keyText(step.key)}`)),
  ].join('/')

/** Reads a way; null: the text cannot be read. */
export function readPath(text: string): RelatedPath | null {
  if (text === '') return null
  try {
    const [key = '', ...steps] = text.split('/')
    return {
      key: keyOf(key),
      steps: steps.map((step) => {
        const [link = '', chosen] = step.split(':')
        return { link: decodeURIComponent(link), key: chosen === undefined ? null : keyOf(chosen) }
      }),
    }
  } catch {
    // A percent sign that encodes nothing: the address was typed by hand.
    return null
  }
}
