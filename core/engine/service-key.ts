// Names for what plugins give to each other, with its type.

declare const serviceType: unique symbol

/** Stands for a service of type `T`; two keys of one name are the same. */
export interface ServiceKey<T> {
  readonly name: string
  readonly [serviceType]?: T
}

/** A key for a service, which the plugin that provides it exports for those that use it. */
export const serviceKey = <T>(name: string): ServiceKey<T> => ({ name })
