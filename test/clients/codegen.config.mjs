// `TRELLIS_URL` is the server whose schemas the types are made from: one file of types for each role.

const url = `${process.env.TRELLIS_URL}/v1/graphql`

const typesOf = (role) => ({
  schema: [{ [url]: { headers: { 'x-service-role': role } } }],
  documents: `documents/${role}.graphql`,
  plugins: ['typescript', 'typescript-operations', 'typed-document-node'],
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    scalars: { numeric: 'number', date: 'string', jsonb: 'unknown' },
  },
})

export default {
  generates: { 'generated/admin.ts': typesOf('admin'), 'generated/reader.ts': typesOf('reader') },
}
