// Typed keys for the services of plugins.

declare const serviceType: unique symbol

/** The key of a service of type `T`. Keys with the same name are equal. */
export interface ServiceKey<T> {
  readonly name: string
  readonly [serviceType]?: T
}

/** Creates a key for a service. The plugin that provides it exports the key. */
export const serviceKey = <T>(name: string): ServiceKey<T> => ({ name })
