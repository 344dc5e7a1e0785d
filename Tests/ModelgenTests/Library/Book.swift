import ObjectGraph

public class Book: _Book {
    // modelgen has made this file once and will not write it again.
}
