/// Runs the measured code: the counter finds this function by its name, and counts from the entry to the return.
@inline(never)
func measured<Value>(_ body: () throws -> Value) rethrows -> Value {
    try body()
}
