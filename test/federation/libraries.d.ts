// The parts of the gateway's libraries that tests use. With these, the types of all tests are checked without the libraries.

declare module '@theguild/federation-composition' {
  interface Service {
    readonly name: string
    readonly url: string
    readonly typeDefs: import('graphql').DocumentNode
  }
  export function composeServices(services: readonly Service[]): {
    readonly errors?: readonly Error[]
    readonly supergraphSdl?: string
  }
}

declare module '@graphql-tools/federation' {
  interface Request {
    readonly document: import('graphql').DocumentNode
    readonly variables?: Record<string, unknown>
  }
  interface Subschema {
    readonly name: string
    executor?: (request: Request) => Promise<unknown>
  }
  export function getStitchedSchemaFromSupergraphSdl(options: {
    readonly supergraphSdl: string
    onSubschemaConfig(subschema: Subschema): void
  }): import('graphql').GraphQLSchema
}
