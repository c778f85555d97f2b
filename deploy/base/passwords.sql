-- Gives the database roles their passwords; run as the owner after `ledger database upgrade`, again for a rotation.
-- psql reads them from its environment, so that no password is ever a word of a command line.
\set ON_ERROR_STOP on
\getenv publisher LEDGER_PUBLISHER_PASSWORD
\getenv collector LEDGER_COLLECTOR_PASSWORD
\getenv core LEDGER_CORE_PASSWORD
SET password_encryption = 'scram-sha-256';
ALTER ROLE ledger_publisher PASSWORD :'publisher';
ALTER ROLE ledger_collector PASSWORD :'collector';
ALTER ROLE ledger_core PASSWORD :'core';
