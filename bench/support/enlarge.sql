-- Enlarges a freshly loaded Chinook database to exactly 500,000 tracks
-- (39,325 artists, 49,621 albums; about 10 tracks per album as in the original).
-- Deterministic: copy k of a row has id = original id + k * (original row count),
-- names carry the suffix " #k", and every foreign key points inside the same copy.
-- The original rows (copy 0) are left as they are. Running it twice changes nothing.
BEGIN;
SET LOCAL client_min_messages = warning;
-- Every reference is right by construction; checking each one takes longer than everything else.
SET LOCAL session_replication_role = replica;

INSERT INTO artist (artist_id, name)
SELECT a.artist_id + k * 275, left(a.name, 110) || ' #' || k
FROM generate_series(1, 142) AS k CROSS JOIN artist AS a
WHERE a.artist_id <= 275
ORDER BY 1
ON CONFLICT DO NOTHING;

INSERT INTO album (album_id, title, artist_id)
SELECT a.album_id + k * 347, left(a.title, 150) || ' #' || k, a.artist_id + k * 275
FROM generate_series(1, 142) AS k CROSS JOIN album AS a
WHERE a.album_id <= 347
ORDER BY 1
ON CONFLICT DO NOTHING;

INSERT INTO track (track_id, name, album_id, media_type_id, genre_id, composer, milliseconds, bytes, unit_price)
SELECT t.track_id + k * 3503, left(t.name, 190) || ' #' || k, t.album_id + k * 347,
       t.media_type_id, t.genre_id, t.composer, t.milliseconds + k, t.bytes + k, t.unit_price
FROM generate_series(1, 142) AS k CROSS JOIN track AS t
WHERE t.track_id <= 3503 AND t.track_id + k * 3503 <= 500000
ORDER BY 1
ON CONFLICT DO NOTHING;

SELECT setval('artist_artist_id_seq', (SELECT max(artist_id) FROM artist)),
       setval('album_album_id_seq', (SELECT max(album_id) FROM album)),
       setval('track_track_id_seq', (SELECT max(track_id) FROM track));

-- Every foreign key gets an index (the Chinook script already makes these).
CREATE INDEX IF NOT EXISTS album_artist_id_idx ON album (artist_id);
CREATE INDEX IF NOT EXISTS track_album_id_idx ON track (album_id);
CREATE INDEX IF NOT EXISTS track_genre_id_idx ON track (genre_id);
CREATE INDEX IF NOT EXISTS track_media_type_id_idx ON track (media_type_id);

COMMIT;
VACUUM (ANALYZE) artist, album, track, genre, media_type, playlist, playlist_track, customer, employee, invoice, invoice_line;
