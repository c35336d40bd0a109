// Members by names that other people chose, such as columns: one may be named as a member that every object has.

/** The object's own member of this name; undefined without one. */
export const memberOf = <T>(all: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined
