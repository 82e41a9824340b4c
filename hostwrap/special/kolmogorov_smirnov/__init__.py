"""The distributions of Kolmogorov and Smirnov."""
