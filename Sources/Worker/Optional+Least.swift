extension Optional where Wrapped: Comparable {
    /// The lesser of two values, or the only one; nil if there is none.
    ///
    /// A turn of the worker compares a few times, so no array is made for them.
    static func least(_ first: Wrapped?, _ second: Wrapped?) -> Wrapped? {
        switch (first, second) {
        case (let first?, let second?): Swift.min(first, second)
        default: first ?? second
        }
    }
}
