import { describe, expect, it } from 'vitest'
import { isPostgres, readAddress } from './address.ts'

describe('readAddress', () => {
  it('extracts Natter’s parameters, and shows no password', () => {
    expect(
      readAddress('postgres://me:geheim@db.example:6432/talk?sslmode=require&pooler=transaction&connections=3'),
    ).toEqual({
      url: 'postgres://me:geheim@db.example:6432/talk?sslmode=require',
      name: 'db.example:6432/talk',
      keepsStatements: false,
      connections: 3,
    })
    expect(readAddress('postgresql://db/talk')).toMatchObject({ keepsStatements: true, connections: 10 })
  })

  it.each([
    'postgres://',
    'postgres://me:geheim@db',
    'postgres://me:gehe/im@db/talk',
    'postgres://me:geheim@db/ta%lk',
    'postgres://db/talk?pooler=none',
    'postgres://db/talk?connections=0',
    'postgres://db/talk?password=a&geheim',
  ])('refuses %s', text => {
    expect(() => readAddress(text)).toThrow(/^Must/)
    expect(() => readAddress(text)).not.toThrow(/geheim/)
  })

  it('names unknown parameters, and the supported ones', () => {
    for (const [name, value] of [
      ['poler', 'transaction'],
      ['conections', '5'],
      ['target_session_attrs', 'any'],
    ])
      expect(() => readAddress(`postgres://me:geheim@db/talk?sslmode=disable&${name}=${value}`)).toThrow(
        new RegExp(`^Must have no parameter "${name}" \\(known: pooler, connections, sslmode, .* lock_timeout\\)\\.$`),
      )
  })
})

describe('isPostgres', () => {
  it('distinguishes a URL from a file', () => {
    expect(['postgres://db/talk', 'postgresql://db/talk'].every(isPostgres)).toBe(true)
    expect(['natter.db', ':memory:', './postgres/natter.db', ''].some(isPostgres)).toBe(false)
  })
})
