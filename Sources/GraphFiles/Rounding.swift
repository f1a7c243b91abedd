// The standard library rounds with the C library's mathematics, which has to be linked: the import does that.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Double {
    /// The nearest whole number; halves go away from zero.
    ///
    /// - Precondition: the number lies within the range of `Int64`.
    var nearestInteger: Int64 { Int64(rounded()) }
}
