# Amounts of money, in cents.

# money CENTS: the amount as people write it, 1250 as 12.50
money() {
	printf "%d.%02d\n" "$(($1 / 100))" "$(($1 % 100))"
}
