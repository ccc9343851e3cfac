# A cart: pairs of quantity and price in cents.

# total [QUANTITY PRICE]...: the sum in cents
total() {
	sum=0
	while [ $# -ge 2 ]; do
		sum=$((sum + $1 * $2))
		shift 2
	done
	echo "$sum"
}
