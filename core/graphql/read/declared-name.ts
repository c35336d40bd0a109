// Names under which contributions declared fields, arguments and enum values, where requests use other names.

interface Named {
  readonly name: string
  readonly extensions: object
}

/** The name under which a definition was declared. */
export const declaredName = ({ name, extensions }: Named): string =>
  (extensions as { readonly declaredName?: string }).declaredName ?? name

/** The field of a type that was declared under this name; undefined if it has none. */
export const declaredField = <F extends Named>(fields: Readonly<Record<string, F>>, name: string): F | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : Object.values(fields).find((field) => declaredName(field) === name)
