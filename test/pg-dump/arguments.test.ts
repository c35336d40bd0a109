import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TrellisError } from '../../core/errors/errors.ts'
import { dialects } from '../../core/names/dialect.ts'
import { checkArguments } from '../../plugins/pg-dump/arguments.ts'
import { cleanDump } from '../../plugins/pg-dump/clean.ts'
import { connectionOf } from '../../plugins/pg-dump/program.ts'

const accepted = [
  ['-O', '-x', '--schema-only', '--schema', 'public'],
  ['-Ox', '-n', 'crm', '-tlead', '-Fc', '-Z5', '--data-only', '--inserts', '-s', '-a', '-c', '-C', '-v'],
  ['--exclude-table=a', '--no-owner', '--role=reader', '-Nf', '-Tpublic.file', '--'],
]

const refused = [
  '-f',
  '-f/tmp/x',
  '-Oxf/tmp/x',
  '--file',
  '--file=/tmp/x',
  '--fil=/tmp/x',
  '--f=/tmp/x',
  '--filter=/etc/passwd',
  '-d',
  '-sdpostgres://elsewhere',
  '--dbname=x',
  '--dbn=x',
  '-h',
  '--host=x',
  '-p1',
  '--port',
  '-Upostgres',
  '--username=x',
  '-W',
  '--password',
  '--no-p',
  '-s\u0000',
]

test('arguments that leave the served database, or reach files of the server, are refused', () => {
  for (const args of accepted) assert.doesNotThrow(() => checkArguments(args), JSON.stringify(args))
  for (const argument of refused) {
    const isRefusal = (error: unknown) =>
      error instanceof TrellisError && error.code === 'not-supported' && error.path.join() === 'opts,1'
    assert.throws(() => checkArguments(['-s', argument]), isRefusal, argument)
  }
})

test('the password is not among the arguments', () => {
  assert.deepEqual(connectionOf('postgres://ann:p%40ss@db:5433/app?sslmode=no-verify&application_name=x'), {
    url: 'postgres://ann@db:5433/app?sslmode=require&application_name=x',
    password: 'p@ss',
  })
  assert.deepEqual(connectionOf('postgresql://ann@localhost/app?host=/run/pg&password=secret'), {
    url: 'postgresql://ann@localhost/app?host=%2Frun%2Fpg',
    password: 'secret',
  })
  assert.equal(connectionOf('postgres://ann@db/app').password, undefined)
})

const dump = `--
-- PostgreSQL database dump
--

\\restrict aB3

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA public;
COMMENT ON SCHEMA public IS 'standard public schema';
SET default_tablespace = '';
SET default_with_oids = false;
SET default_table_access_method = heap;
CREATE TABLE public.person (
    id integer NOT NULL
);
   
SET search_path = public;
CREATE TRIGGER "notify_hasura_x_INSERT" AFTER INSERT ON public.person FOR EACH ROW EXECUTE FUNCTION x();
CREATE TRIGGER audit AFTER INSERT ON public.person FOR EACH ROW EXECUTE FUNCTION x();
\\unrestrict aB3
`

test('a cleaned dump lacks the lines that every dump has', () => {
  const lines = ['CREATE TABLE public.person (', '    id integer NOT NULL', ');', 'SET search_path = public;']
  const audit = 'CREATE TRIGGER audit AFTER INSERT ON public.person FOR EACH ROW EXECUTE FUNCTION x();'
  const cleaned = (text: string, dialect: 'trellis' | 'hasura', graphqlInterface: '1.3' | '2' = '1.3') =>
    cleanDump(Buffer.from(text), dialects[dialect], { graphqlInterface })
  assert.equal(cleaned(dump, 'hasura'), `${[...lines, audit].join('\n')}\n`)
  assert.match(cleaned(dump, 'trellis'), /notify_hasura_x_INSERT/)
  assert.equal(cleaned('', 'trellis'), '')
  const bodies = 'SET check_function_bodies = false;'
  assert.equal(cleaned(dump, 'hasura', '2'), `${[bodies, ...lines, audit].join('\n')}\n`)
})
