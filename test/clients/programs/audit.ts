import { auditServer } from 'graphql-http'

const [, , url = ''] = process.argv
const results = await auditServer({ url: `${url}/v1/graphql`, fetchFn: fetch })
console.log(JSON.stringify(results.map(({ name, status }) => ({ name, status }))))
