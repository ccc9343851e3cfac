# Amounts of money, in cents.

# money CENTS: the amount as people write it, 1250 as 12.50
money() {
	echo "$(($1 / 100)).$(($1 % 100))"
}
