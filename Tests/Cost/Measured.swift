/// Runs what is to be counted: the counter is switched on as this function is entered and off as it is left, by its name.
@inline(never)
func measured<Value>(_ body: () throws -> Value) rethrows -> Value {
    try body()
}
